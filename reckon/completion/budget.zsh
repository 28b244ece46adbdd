#compdef budget
# Completion of budget in zsh: eval "$(budget completion zsh)"
_budget() {
    local -a found
    found=(${(f)"$(budget __complete "${(@)words[2,CURRENT]}" 2>/dev/null)"})
    if (( ! ${#found} )); then
        _files
        return
    fi
    # An address goes on behind its dot.
    compadd -S '' -- ${(M)found:#*.}
    compadd -- ${found:#*.}
}
if [[ ${funcstack[1]} == _budget ]]; then
    _budget "$@"
else
    compdef _budget budget
fi

# Completion of budget in bash: eval "$(budget completion bash)"
_budget() {
    local IFS=$'\n'
    COMPREPLY=($(budget __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
    # An address goes on behind its dot.
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *. ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
complete -o default -F _budget budget

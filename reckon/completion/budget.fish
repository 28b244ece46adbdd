# Completion of budget in fish: source (budget completion fish | psub)
function __budget_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l current (commandline -ct)
    set -l found (budget __complete $words "$current" 2>/dev/null)
    if set -q found[1]
        printf '%s\n' $found
    else
        __fish_complete_path "$current"
    end
end
complete -c budget -f -a '(__budget_complete)'

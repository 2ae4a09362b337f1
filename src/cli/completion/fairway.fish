# fish completion for fairway.

function __fairway_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l lines ($words[1] __complete $words[2..-1] 2>/dev/null)
    set -l directive 0
    for line in $lines
        if string match -q ':*' -- $line
            set directive (string sub -s 2 -- $line)
        else
            echo $line
        end
    end
    set -l current (commandline -ct)
    switch $directive
        case 0
            __fish_complete_path $current
        case 16
            __fish_complete_directories $current
    end
end

complete -c fairway -f -a '(__fairway_complete)'

// What a shell needs to ask the hub for words. `:files` asks the shell for its own names of files. `command` is what the hub is called:
// the Debian package has another name for it.

const bash = (command: string): string => `# Completion of ${command} for bash: source <(${command} completion bash)
_hub() {
  local IFS=$'\\n' found words=() rest=$COMP_LINE begun at typed=\${COMP_WORDS[COMP_CWORD]}
  # bash has parted the words at : and = as well.
  for ((at = 0; at <= COMP_CWORD; at++)); do
    begun=\${rest#"\${rest%%[![:blank:]]*}"}
    if ((at > 1)) && [[ $begun == "$rest" ]]; then
      words[\${#words[@]} - 1]+=\${COMP_WORDS[at]}
    else
      words+=("\${COMP_WORDS[at]}")
    fi
    rest=\${begun#"\${COMP_WORDS[at]}"}
  done
  [[ $typed == [:=]* ]] && typed=\${typed##*[:=]}
  local whole=\${words[\${#words[@]} - 1]}
  found=$("\${words[0]}" completion words -- "\${words[@]:1}" 2>/dev/null)
  if [ "$found" = ":files" ]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$typed"))
  else
    COMPREPLY=($found)
    COMPREPLY=("\${COMPREPLY[@]#"\${whole%"$typed"}"}")
    [[ "\${COMPREPLY[0]}" == *= ]] && compopt -o nospace 2>/dev/null
  fi
}
complete -F _hub ${command}
`;

const zsh = (command: string): string => {
  const name = `_${command}`;
  return `#compdef ${command}
# Completion of ${command} for zsh: source <(${command} completion zsh), or as ${name} in a folder of $fpath
${name}() {
  local -a found
  found=("\${(@f)$("\${words[1]}" completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ "\${found[1]}" == ":files" ]]; then
    compset -P '--*='
    _files
  elif [[ "\${found[1]}" == *= ]]; then
    compadd -S "" -- "\${(@)found}"
  elif [[ -n "\${found[1]}" ]]; then
    compadd -- "\${(@)found}"
  fi
}
if [[ "\${funcstack[1]}" == "${name}" ]]; then
  ${name} "$@"
else
  compdef ${name} ${command}
fi
`;
};

const fish = (command: string): string => `# Completion of ${command} for fish: ${command} completion fish | source
function __hub_words
  set -l typed (commandline -opc)
  set -l current (commandline -ct)
  set -l program $typed[1]
  set -e typed[1]
  set -l found ($program completion words -- $typed "$current" 2>/dev/null)
  if test "$found[1]" = ":files"
    __fish_complete_path "$current"
  else if set -q found[1]
    printf '%s\\n' $found
  end
end
complete -c ${command} -f -a '(__hub_words)'
`;

export const SCRIPTS: Readonly<Record<string, (command: string) => string>> = { bash, zsh, fish };

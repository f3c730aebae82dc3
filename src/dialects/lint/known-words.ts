/** Words that mean something to a shell, and programs that are known not to look at variables of one's own. */

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** What a shell does itself. */
export const BUILTINS = words(`
  : . [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo enable
  eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd
  read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias
  unset wait print whence module ml conda mamba spack
`);

/** Everyday tools: they take what they need from their arguments. */
export const PLAIN_TOOLS = words(`
  awk basename cat chgrp chmod chown clear cmp comm cp cut date dd df diff dirname du egrep env expr fgrep file find free
  git grep groups gunzip gzip head hostname id install join ln logger ls lscpu lsof md5sum mkdir mkfifo mktemp mv nl nproc
  numfmt nvidia-smi paste patch pgrep pkill printenv ps readlink realpath rm rmdir rsync scontrol scp sed seq sha256sum
  shuf sleep sort split squeue sstat stat stty sync tac tail tar tee time timeout top touch tput tr tree uname uniq unzip
  uptime users wc wget which who whoami xargs xz zcat zip qstat qdel scancel sacct
`);

/** Variables that shells set or look at themselves. */
export const SHELL_VARIABLES = words(`
  BASH BASHOPTS BASHPID BASH_ALIASES BASH_ARGC BASH_ARGV BASH_CMDS BASH_COMMAND BASH_ENV BASH_LINENO BASH_REMATCH
  BASH_SOURCE BASH_SUBSHELL BASH_VERSINFO BASH_VERSION BASH_XTRACEFD CDPATH CHILD_MAX COLUMNS COMPREPLY COPROC DIRSTACK
  ENV EPOCHREALTIME EPOCHSECONDS EUID EXECIGNORE FCEDIT FIGNORE FUNCNAME FUNCNEST GLOBIGNORE GROUPS HISTCMD HISTCONTROL
  HISTFILE HISTFILESIZE HISTIGNORE HISTSIZE HISTTIMEFORMAT HOSTFILE HOSTNAME HOSTTYPE IFS IGNOREEOF INPUTRC LINENO LINES
  MACHTYPE MAILCHECK MAILPATH MAPFILE NULLCMD OLDPWD OPTARG OPTERR OPTIND OSTYPE PIPESTATUS POSIXLY_CORRECT PPID
  PROMPT PROMPT_COMMAND PS0 PS1 PS2 PS3 PS4 PWD RANDOM READNULLCMD REPLY RPROMPT SECONDS SHELLOPTS SHLVL SRANDOM
  TEXTDOMAIN TEXTDOMAINDIR TIMEFORMAT TMOUT UID _
`);

/** Variables that whoever logs in has, and every job too. */
export const LOGIN_VARIABLES = words(`
  HOME LANG LANGUAGE LC_ALL LC_COLLATE LC_CTYPE LC_MESSAGES LC_MONETARY LC_NUMERIC LC_TIME LOGNAME MAIL PATH SHELL TERM
  TMPDIR TZ USER
`);

#!/bin/sh
# The detached parent of one rank of one attempt, and of more attempts after it, one at a time. It claims the
# rank, runs the job in the foreground and writes down how it ended. It outlives the yard, so it must need
# nothing from it. Its environment is the job's own, so its variables and functions carry a prefix. On the
# usual way it starts no program but the job, and reads nothing byte by byte from /proc: each costs as much
# as the rest together.
#
# It is read by a shell whose commands come through a pipe from the yard, the first being to read this:
#
#   sh -s SHIM RANKFILE CLAIM UMASK DIRECTORY STDIN STDOUT STDERR truncate|append \
#     [set NAME VALUE]... [unset NAME]... [own LETTER VALUE]... [pid NAME] [cgroup PROCS]... \
#     [ulimit LETTER VALUE]... run COMMAND [ARGUMENT]...
#
# Then the shell waits for its next command, which is `_yard_attempt` with arguments of the same form. When
# nobody holds the other end of the pipe any more, as after the yard's death, the shell exits.
#
# `own` limits are set for the shim too; `ulimit` ones only for the job, since the shim could not live by them.
# Whoever writes the first line of RANKFILE, which is there already, owns the rank: a shim's claim is its
# number and CLAIM, words by which the yard will know it. The record of the end is added to it: perhaps
# `fault WHAT` or `refused WHY: PROGRAM`, then what `times` prints, and `status N` with `end`, without which it says nothing. One file
# for both, so that a disk that fills up meanwhile still has room for the end.

# Keeps trying while the disk refuses: the status is known nowhere else. What a try left unfinished is
# overruled by the next.
_yard_end() {
  until { times && printf 'status %s\nend\n' "$1"; } >>"$_yard_file"; do
    [ -d "${_yard_file%/*}" ] || exit 1
    sleep 1 || exit 1
    echo >>"$_yard_file"
  done
}

# What the job needs cannot be had. In the subshell that would have become the job this ends only that.
_yard_fault() {
  echo "fault $1" >>"$_yard_file"
  [ "$_yard_in_subshell" ] || _yard_end 125
  exit 125
}

# The directory becomes PWD, but OLDPWD stays what the submitter had.
_yard_enter() {
  if [ "${OLDPWD+set}" ]; then
    _yard_oldpwd=$OLDPWD
    cd -- "$1" && OLDPWD=$_yard_oldpwd
  else
    cd -- "$1" && unset OLDPWD
  fi
}

_yard_refuse() {
  printf 'trainyard: %s: %s\n' "$1" "$2" >&2
  printf 'refused %s: %s\n' "$2" "$1" 2>/dev/null >>"$_yard_file"
  return "$3"
}

# Says it as plainly as possible when there is nothing to execute.
_yard_can_execute() {
  case $1 in
    */*)
      [ -e "$1" ] || _yard_refuse "$1" 'no such file' 127 || return
      [ ! -d "$1" ] || _yard_refuse "$1" 'is a directory' 126 || return
      [ -x "$1" ] || _yard_refuse "$1" 'permission denied' 126
      ;;
    *) command -v -- "$1" >/dev/null || _yard_refuse "$1" 'command not found' 127 ;;
  esac
}

# As much as can be had: the yard has asked for no more than it thought it may have itself.
_yard_limit() {
  ulimit -S "-$1" "$2" || ulimit -S "-$1" "$(ulimit -H "-$1")" || _yard_fault "ulimit $1 $2"
}

# Ends up as the job, or not at all.
_yard_become_job() {
  while [ "$1" != run ]; do
    case $1 in
      pid) read -r _yard_pid _yard_rest </proc/self/stat; export "$2=$_yard_pid"; shift 2 ;;
      # 0 is the writing process itself: the job goes in, the shim stays out.
      cgroup) echo 0 >"$2" || _yard_fault cgroup; shift 2 ;;
      ulimit) _yard_limit "$2" "$3"; shift 3 ;;
      *) _yard_fault arguments ;;
    esac
  done
  shift
  _yard_can_execute "$1" || exit
  exec "$@"
}

# The job's stderr is 3 here: 2 is for what the shell itself has to say, such as that a signal ended the job. (It
# says that to a job's stderr all the same where the job is not started by a copy of it.)
# A path cannot be mistaken for something that the shell has built in, and shells start it with less ado
# than a copy of themselves.
_yard_run() {
  while [ "$1" = own ]; do
    _yard_limit "$2" "$3"
    shift 3
  done
  case $1$2 in
    run*/*) shift; _yard_can_execute "$1" 2>&3 && "$@" 2>&3 3>&- ;;
    *) (_yard_in_subshell=yes; _yard_become_job "$@") 2>&3 3>&- ;;
  esac
}

# Without a file the attempt is over and forgotten. Lines are added whole, so that there is one first.
_yard_is_mine() {
  [ -e "$_yard_file" ] || return
  echo "$1" >>"$_yard_file"
  read -r _yard_first <"$_yard_file"
  [ "$_yard_first" = "$1" ]
}

_yard_attempt() {
  _yard_file=$1
  _yard_is_mine "$$ $2" || exit 0

  umask "$3"
  _yard_enter "$4" || _yard_fault directory
  _yard_stdin=$5
  _yard_stdout=$6
  _yard_stderr=$7
  if [ "$8" = truncate ]; then
    [ ! -f "$6" ] || true >"$6"
    [ "$6" = "$7" ] || [ ! -f "$7" ] || true >"$7"
  fi
  shift 8
  while [ "$1" = set ]; do
    export "$2=$3"
    shift 3
  done
  while [ "$1" = unset ]; do
    unset "$2"
    shift 2
  done

  _yard_status=
  if [ "$_yard_stdout" = "$_yard_stderr" ]; then
    { _yard_run "$@"; _yard_status=$?; } <"$_yard_stdin" >>"$_yard_stdout" 3>&1 2>/dev/null
  else
    { _yard_run "$@"; _yard_status=$?; } <"$_yard_stdin" >>"$_yard_stdout" 3>>"$_yard_stderr" 2>/dev/null
  fi

  if [ ! "$_yard_status" ]; then
    true <"$_yard_stdin" || _yard_fault stdin
    true >>"$_yard_stdout" || _yard_fault stdout
    _yard_fault stderr
  fi
  _yard_end "$_yard_status"
}

# A job may signal its whole process group; the shim must stay to see the end. Traps, unlike ignored
# signals, are not inherited by the job.
trap : 1 2 3 10 12 13 14 15 24 25

_yard_in_subshell=
shift
_yard_attempt "$@"

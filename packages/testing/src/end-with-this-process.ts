import { type ChildProcess, spawn } from 'node:child_process'

/**
 * Ends the child when this process is gone, however it ends. An interrupted run of tests kills the processes of its
 * tests, which then stop nothing. Even SIGKILL closes the pipe that `read` waits on.
 */
export function endWithThisProcess<Child extends ChildProcess>(child: Child): Child {
  const { pid } = child
  if (pid === undefined) return child
  const watchdog = spawn('/bin/sh', ['-c', 'read -r _; kill -KILL "$1"', 'sh', String(pid)], {
    // A group of its own, because Ctrl-C in a terminal reaches the whole group of the run.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.once('exit', () => watchdog.kill('SIGKILL'))
  return child
}

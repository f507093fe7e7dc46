/** Whether no process has this id. */
export function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch {
    return true
  }
}

/** Whether nothing accepts connections there. */
export const isClosed = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => false,
    () => true,
  )

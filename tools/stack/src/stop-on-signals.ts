/** Aborted by the first Ctrl-C; the second ends this process at once, and what it started ends by itself. */
export function stopOnSignals(say: (line: string) => void): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(1)
      say('\nStopping. Ctrl-C again: at once.')
      controller.abort()
    })
  }
  return controller.signal
}

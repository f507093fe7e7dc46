/** The first Ctrl-C aborts the signal. The second ends this process at once; its children then end by themselves. */
export function stopOnSignals(say: (line: string) => void): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(1)
      say('\nStopping. Press Ctrl-C again to stop at once.')
      controller.abort()
    })
  }
  return controller.signal
}

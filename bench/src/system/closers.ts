export interface Closers {
  add(close: () => Promise<unknown>): void
  /** Calls the last added first, and all of them even if some fail. */
  close(): Promise<void>
}

export function createClosers(): Closers {
  const closers: (() => Promise<unknown>)[] = []
  return {
    add: (close) => void closers.push(close),
    close: async () => {
      for (const close of closers.splice(0).reverse()) await close().catch(() => undefined)
    },
  }
}

export interface Closers {
  add(close: () => Promise<unknown>): void
  /** The last added first, each of them whatever becomes of the others. */
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

import type * as later from './later.ts'

type Later = typeof later

let loading: Promise<Later> | null = null

export const loadLater = (): Promise<Later> =>
  (loading ??= import('./later.ts').catch((error: unknown) => {
    loading = null
    throw error
  }))

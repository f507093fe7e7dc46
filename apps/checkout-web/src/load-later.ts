import type * as later from './later.ts'

type Later = typeof later

let loading: Promise<Later> | null = null

/** Loads the second script: the payer client and the screens after the form. */
export const loadLater = (): Promise<Later> =>
  (loading ??= import('./later.ts').catch((error: unknown) => {
    loading = null
    throw error
  }))

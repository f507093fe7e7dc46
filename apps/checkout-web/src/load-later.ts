import { createLaterLoader } from './later-loader.ts'

/** The payer client and the screens after the form. */
export const later = createLaterLoader(
  () => import('./later.ts'),
  () => navigator.onLine,
)

import { openPlace } from './place.ts'
import { fillShell, nameShell } from './shell.ts'
import { shownLocale } from '@merchant-payments/payer-client/form/words/languages'

const RETRY_MS = 2_000
const TRIES_MAX = 20

// Small enough to be inlined in the document. It starts the API read while the rest of the page loads.
const place = openPlace()
// The parser would append the rest of the shell to a page that is mounted before.
const parsed = new Promise<void>((done) => addEventListener('DOMContentLoaded', () => done()))
const firstRead = place.readSession()
nameShell(shownLocale(place.language, null))
void firstRead.then((read) => {
  // The page shows read errors.
  if ('session' in read) fillShell(read.session, shownLocale(place.language, read.session))
})
loadMain()

/** Retries while the network fails. Meanwhile the page asks for a reload, which starts no payment. */
function loadMain(tries = 1): void {
  const again = () => tries < TRIES_MAX && setTimeout(loadMain, RETRY_MS, tries + 1)
  void Promise.all([import('./main.tsx'), parsed]).then(([{ mount }]) => mount(place, firstRead), again)
}

import { openPlace } from './place.ts'
import { fillShell } from './shell.ts'

const RETRY_MS = 2_000
const TRIES_MAX = 20

// Small, and so in the document itself: it asks the API while the rest of the page is still on its way.
const place = openPlace()
const firstRead = place.readSession()
document.documentElement.lang = place.chosenLocale ?? place.browserLocale
void firstRead.then((read) => {
  // The page itself says what went wrong.
  if ('session' in read)
    fillShell(read.session, place.chosenLocale ?? read.session.locale ?? place.browserLocale)
})
loadMain()

/** As long as the network loses it: the page says meanwhile that no payment was started. */
function loadMain(tries = 1): void {
  const again = () => tries < TRIES_MAX && setTimeout(loadMain, RETRY_MS, tries + 1)
  void import('./main.tsx').then(({ mount }) => mount(place, firstRead), again)
}

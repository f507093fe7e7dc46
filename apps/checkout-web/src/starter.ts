import { openPlace } from './place.ts'
import { fillShell } from './shell.ts'

// Small, and so here first: it asks the API while the rest of the page is still on its way.
const place = openPlace()
const firstRead = place.readSession()
firstRead.then(
  (session) => fillShell(session, place.chosenLocale ?? session.locale ?? place.browserLocale),
  // The page itself says what went wrong.
  () => undefined,
)
document.documentElement.lang = place.chosenLocale ?? place.browserLocale
void import('./main.tsx').then(({ mount }) => mount(place, firstRead))

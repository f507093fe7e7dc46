import { openPlace } from './place.ts'
import { fillShell } from './shell.ts'

// Small, and so in the document itself: it asks the API while the rest of the page is still on its way.
const place = openPlace()
const firstRead = place.readSession()
document.documentElement.lang = place.chosenLocale ?? place.browserLocale
void firstRead.then((read) => {
  // The page itself says what went wrong.
  if ('session' in read)
    fillShell(read.session, place.chosenLocale ?? read.session.locale ?? place.browserLocale)
})
void import('./main.tsx').then(({ mount }) => mount(place, firstRead))

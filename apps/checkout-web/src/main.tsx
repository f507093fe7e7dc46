import { createRoot } from 'react-dom/client'
import { attemptStore } from './checkout/attempt.ts'
import { createCheckout, type Page, type Payer } from './checkout/checkout.ts'
import { chance, deviceClock } from './clock.ts'
import { loadLater } from './load-later.ts'
import type { Place } from './place.ts'
import { App } from './ui/app.tsx'
import type { SessionRead } from './wire/read-session.ts'

/** Takes the page over from its shell; answers what leaves it again. */
export function mount(place: Place, firstRead: Promise<SessionRead>): () => void {
  const container = document.getElementById('root') ?? document.body
  const checkout = createCheckout({
    readSession: place.readSession,
    loadPayer: () => loadPayer(place),
    attempts: attemptStore(place.tab),
    secrets: place.secrets,
    clientSecret: place.link?.clientSecret ?? '',
    clock: deviceClock,
    serverNowMs: place.serverClock.nowMs,
    page: browserPage,
    chance,
  })
  const root = createRoot(container)
  root.render(
    <App
      checkout={checkout}
      clock={deviceClock}
      serverNowMs={place.serverClock.nowMs}
      language={{ chosen: place.chosenLocale, ofBrowser: place.browserLocale, choose: place.chooseLocale }}
    />,
  )
  void checkout.start(firstRead)

  const forgetEvents = listen({
    // Out of the back-forward cache the page comes as it was left, with timers that may have died.
    pageshow: (event) => event.persisted && void checkout.resume(),
    online: () => void checkout.networkChanged(),
    offline: () => void checkout.networkChanged(),
    // Another link was pasted into the address bar.
    hashchange: () => location.reload(),
    visibilitychange: () => void checkout.resume(),
  })
  return () => {
    forgetEvents()
    checkout.stop()
    root.unmount()
  }
}

async function loadPayer({ link, baseUrl }: Place): Promise<Payer> {
  const { createPayer, PayerClientError } = await loadLater()
  if (link === null) throw new Error('a link without a secret pays nothing')
  return {
    ...createPayer(link, baseUrl),
    refusedParam: (error) => (error instanceof PayerClientError && error.reason === 'refused' ? error : null),
  }
}

const browserPage: Page = {
  returnUrl: () => location.origin + location.pathname,
  isVisible: () => document.visibilityState === 'visible',
  isOnline: () => navigator.onLine,
  leaveFor: (url) => location.assign(url),
}

type Listeners = {
  readonly [Name in 'pageshow' | 'online' | 'offline' | 'hashchange']: (event: WindowEventMap[Name]) => void
} & {
  readonly visibilitychange: () => void
}

/** `visibilitychange` is the document's, and reaches the window. */
function listen(listeners: Listeners): () => void {
  const entries = Object.entries(listeners) as [string, EventListener][]
  for (const [name, listener] of entries) addEventListener(name, listener)
  return () => entries.forEach(([name, listener]) => removeEventListener(name, listener))
}

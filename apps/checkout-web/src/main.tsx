import { createRoot } from 'react-dom/client'
import { attemptStore } from '@merchant-payments/payer-client/form/attempt'
import { createCheckout, type Page, type Payer } from '@merchant-payments/payer-client/form/checkout'
import { chance, deviceClock } from '@merchant-payments/payer-client/form/clock'
import { later } from './load-later.ts'
import type { Place } from './place.ts'
import { App } from './ui/app.tsx'
import type { SessionRead } from '@merchant-payments/payer-client/form/read-session'

/**
 * Replaces the static shell with the page.
 *
 * @returns a function that removes the page
 */
export function mount(place: Place, firstRead: Promise<SessionRead>): () => void {
  const sessionId = place.link?.sessionId ?? ''
  const attempts = attemptStore(place.tab, sessionId)
  // A rail may return the payer in another tab than the one that sent the order.
  if (place.secrets.isKept(sessionId) && attempts.out() === null) attempts.markOut('')
  const container = document.getElementById('root') ?? document.body
  const checkout = createCheckout({
    readSession: place.readSession,
    loadPayer: () => loadPayer(place),
    attempts,
    secrets: place.secrets,
    clientSecret: place.link?.clientSecret ?? '',
    clock: deviceClock,
    serverNowMs: place.serverClock.nowMs,
    page: browserPage,
    chance,
  })
  // Preact keeps what a container holds; React removes it.
  container.textContent = ''
  const root = createRoot(container)
  root.render(<App checkout={checkout} serverNowMs={place.serverClock.nowMs} language={place.language} />)
  void checkout.start(firstRead)

  const resume = (): void => {
    later.keepTrying()
    void checkout.resume()
  }
  const forgetEvents = listen({
    // The back-forward cache restores the page as it was, but its timers may have died.
    pageshow: (event) => event.persisted && resume(),
    online: () => {
      later.keepTrying()
      void checkout.networkChanged()
    },
    offline: () => void checkout.networkChanged(),
    // The payer pasted another link into the address bar.
    hashchange: () => location.reload(),
    visibilitychange: resume,
  })
  return () => {
    forgetEvents()
    checkout.stop()
    root.unmount()
  }
}

async function loadPayer({ link, baseUrl, serverClock }: Place): Promise<Payer> {
  const { createPayer, PayerClientError } = await later.load()
  if (link === null) throw new Error('no secret')
  return {
    ...createPayer(link, baseUrl, serverClock),
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

/** `visibilitychange` is dispatched on the document and bubbles to the window. */
function listen(listeners: Listeners): () => void {
  const entries = Object.entries(listeners) as [string, EventListener][]
  for (const [name, listener] of entries) addEventListener(name, listener)
  return () => entries.forEach(([name, listener]) => removeEventListener(name, listener))
}

import { deviceClock } from '@merchant-payments/payer-client/form/clock'
import { linkOf, sessionIdIn } from './link.ts'
import { safeStorage } from '@merchant-payments/payer-client/form/safe-storage'
import { secretKeeper } from './secret-keeper.ts'
import { serverClockOf } from '@merchant-payments/payer-client/form/server-clock'
import { readNothing, sessionReader } from '@merchant-payments/payer-client/form/read-session'
import { isLocale, type Locale, localeOf } from '@merchant-payments/payer-client/form/words/languages'

const LANGUAGE = 'checkout.language'

export type Place = ReturnType<typeof openPlace>

export function openPlace() {
  const tab = safeStorage(() => sessionStorage)
  const browser = safeStorage(() => localStorage)
  const secrets = secretKeeper(tab, browser, deviceClock())
  const serverClock = serverClockOf(deviceClock)
  const sessionId = sessionIdIn(location.pathname)
  const link = sessionId === null ? null : linkOf(sessionId, secretFor(sessionId))
  const choice = tab.get(`${LANGUAGE}.${sessionId}`)
  const remembered = browser.get(LANGUAGE)
  const baseUrl = apiBaseUrl()

  /**
   * The secret of the fragment, or the one kept while the payer was at a rail's page. A kept secret is put
   * back into the fragment. A rail may return the payer with a fragment of its own.
   */
  function secretFor(id: string): string {
    const inFragment = location.hash.slice(1)
    if (linkOf(id, inFragment) !== null) return inFragment
    const kept = secrets.take(id) ?? ''
    if (kept !== '') history.replaceState(null, '', `#${kept}`)
    return kept
  }

  return {
    tab,
    secrets,
    serverClock,
    link,
    baseUrl,
    readSession: link === null ? readNothing : sessionReader(link, baseUrl, serverClock),
    language: {
      chosen: isLocale(choice) ? choice : null,
      remembered: isLocale(remembered) ? remembered : null,
      ofBrowser: localeOf(navigator.languages),
      choose: (locale: Locale) => {
        tab.set(`${LANGUAGE}.${sessionId}`, locale)
        browser.set(LANGUAGE, locale)
      },
    },
  }
}

/** The page's own origin, or the address that a static host wrote into the page. */
function apiBaseUrl(): string {
  const written = document.querySelector<HTMLMetaElement>('meta[name="api-base-url"]')?.content ?? ''
  return written === '' ? location.origin : written.replace(/\/+$/, '')
}

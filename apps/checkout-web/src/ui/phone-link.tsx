import { type ReactNode, useEffect, useState } from 'react'
import type { Locale } from '@merchant-payments/payer-client/form/words/languages'
import { words } from '../words/index.ts'

/** A screen beside which the payer has a phone, and to which they can hold its camera. */
const DESKTOP = '(min-width: 56em) and (pointer: fine)'

/** A phone that opens an address of this computer itself finds nothing there. */
const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/

export interface PhoneLinkProps {
  readonly locale: Locale
  /** Called once the code is shown: from then on another device may pay. */
  readonly onShow: () => void
}

/** The link of this page as a QR code, for a payer at a computer. A phone does not load the code's script. */
export function PhoneLink({ locale, onShow }: PhoneLinkProps) {
  const say = words[locale]
  const [code, setCode] = useState<ReactNode>(null)
  useEffect(() => {
    if (LOOPBACK.test(location.hostname)) return undefined
    if (typeof matchMedia !== 'function' || !matchMedia(DESKTOP).matches) return undefined
    let isGone = false
    void import('./qr-code.tsx').then(
      ({ QrCode }) => {
        if (isGone) return
        setCode(<QrCode text={location.href} />)
        onShow()
      },
      // The form works without the code.
      () => undefined,
    )
    return () => {
      isGone = true
    }
  }, [onShow])
  if (code === null) return null
  return (
    <figure className="phone-link">
      {code}
      <figcaption>
        <strong>{say.onPhoneTitle}</strong> {say.onPhoneText}
      </figcaption>
    </figure>
  )
}

import { useState } from 'react'
import { dialLink, dialSteps } from '@merchant-payments/payer-client/form/dial-steps'
import type { RailOffer } from '@merchant-payments/payer-client/form/types'
import type { Locale } from '@merchant-payments/payer-client/form/words/languages'
import { words } from '../words/index.ts'

/** How to find the request by dialling, as steps without images. */
export function DialHelp({ rail, locale }: { readonly rail: RailOffer; readonly locale: Locale }) {
  const say = words[locale]
  const [isCopied, setCopied] = useState(false)
  const help = dialSteps(rail, locale)
  if (help === null) return null

  const { dial, steps, note } = help
  const copy = async (code: string): Promise<void> => {
    await navigator.clipboard.writeText(code)
    setCopied(true)
  }
  return (
    <section className="help">
      <h2>{say.noPromptTitle}</h2>
      {steps.length > 0 && (
        <ol>
          {steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      )}
      {dial !== null && (
        <>
          <a className="button dial" href={dialLink(dial)}>
            {say.dial(dial)}
          </a>
          <button type="button" className="plain" onClick={() => void copy(dial).catch(() => undefined)}>
            {isCopied ? say.copied : say.copy}
          </button>
        </>
      )}
      {note !== null && <p className="note">{note}</p>}
    </section>
  )
}

import { useState } from 'react'
import type { Locale, RailOffer } from '../wire/types.ts'
import { words } from '../words/index.ts'

export function DialHelp({ rail, locale }: { readonly rail: RailOffer; readonly locale: Locale }) {
  const say = words[locale]
  const [isCopied, setCopied] = useState(false)
  const dial = rail.prompt?.dial ?? null
  const hint = rail.prompt?.hint?.[locale]
  if (dial === null && hint === undefined) return null

  const copy = async (code: string): Promise<void> => {
    await navigator.clipboard.writeText(code)
    setCopied(true)
  }
  return (
    <section className="help">
      <h2>{say.noPromptTitle}</h2>
      {dial !== null && (
        <>
          <p>
            {/* A bare # would cut the code off as a fragment. */}
            <a className="button dial" href={`tel:${encodeURIComponent(dial)}`}>
              {say.dial(dial)}
            </a>{' '}
            {say.dialOther}
          </p>
          <button type="button" className="plain" onClick={() => void copy(dial).catch(() => undefined)}>
            {isCopied ? say.copied : say.copy}
          </button>
        </>
      )}
      {hint !== undefined && <p>{hint}</p>}
    </section>
  )
}

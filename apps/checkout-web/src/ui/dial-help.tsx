import { useState } from 'react'
import type { RailOffer } from '../wire/types.ts'
import { type Locale, textIn } from '../words/languages.ts'
import { words } from '../words/index.ts'

/** How to find the request by dialling, as steps without images. */
export function DialHelp({ rail, locale }: { readonly rail: RailOffer; readonly locale: Locale }) {
  const say = words[locale]
  const [isCopied, setCopied] = useState(false)
  const dial = rail.prompt?.dial ?? null
  const { steps, note } = stepsOf(rail, locale)
  if (dial === null && steps.length === 0 && note === null) return null

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
          {/* A bare # would cut the code off as a fragment. */}
          <a className="button dial" href={`tel:${encodeURIComponent(dial)}`}>
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

interface Steps {
  readonly steps: readonly string[]
  readonly note: string | null
}

/** A hint of several lines is the operator's own steps. A hint of one line stands below the usual steps. */
function stepsOf({ name, prompt }: RailOffer, locale: Locale): Steps {
  const say = words[locale]
  const lines = (prompt?.hint == null ? '' : textIn(prompt.hint, locale))
    .split('\n')
    .filter((line) => line.trim() !== '')
  if (lines.length > 1) return { steps: lines, note: null }
  const usual = prompt?.dial == null ? [] : say.dialSteps(prompt.dial, textIn(name, locale))
  return { steps: usual, note: lines[0] ?? null }
}

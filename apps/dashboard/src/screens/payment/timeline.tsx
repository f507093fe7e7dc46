import type { StaffIntentDetail } from '@merchant-payments/contract'
import { useState } from 'react'
import { ObjectLink } from '../../ui/object-link.tsx'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'
import { wordOf } from '../../ui/words.ts'

type Entry = StaffIntentDetail['timeline'][number]

interface TimelineProps {
  readonly entries: readonly Entry[]
  readonly paymentId: string
}

/** All entries, oldest first, with a filter by source. */
export function Timeline({ entries, paymentId }: TimelineProps) {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const sources = [...new Set(entries.map(({ source }) => source))]
  const toggle = (source: string) => {
    const next = new Set(hidden)
    if (!next.delete(source)) next.add(source)
    setHidden(next)
  }
  const shown = entries.filter(({ source }) => !hidden.has(source))
  return (
    <Section
      title="Timeline"
      actions={
        <div className="sources" role="group" aria-label="Sources">
          {sources.map((source) => (
            <button
              key={source}
              type="button"
              className={`tag ${source}`}
              aria-pressed={!hidden.has(source)}
              onClick={() => toggle(source)}
            >
              {wordOf(source)}
            </button>
          ))}
        </div>
      }
    >
      <ol className="timeline">
        {shown.map(({ at, source, id, text, detail }, index) => (
          <li key={`${id}${text}${index}`} className={source}>
            <Time at={at} />
            <span className={`tag ${source}`}>{wordOf(source)}</span>
            <div>
              {text}
              {detail !== null && <span className="quiet"> · {detail}</span>}
            </div>
            {id === paymentId ? <span /> : <ObjectLink id={id} />}
          </li>
        ))}
      </ol>
    </Section>
  )
}

import type { StaffIntentDetail } from '@merchant-payments/contract'
import { useState } from 'react'
import { useRailNames } from '../../rail-names.ts'
import { ObjectLink } from '../../ui/object-link.tsx'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'
import { stepOf, wordOf } from '../../ui/words.ts'
import { i18n } from '../../i18n.ts'

const attemptsOf = (count: number) => i18n.t('{count, plural, one {# attempt} other {# attempts}}', { count })

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
  const railNames = useRailNames()
  const shown = entries.filter(({ source }) => !hidden.has(source))
  return (
    <Section
      title={i18n.t('Timeline')}
      actions={
        <div className="sources" role="group" aria-label={i18n.t('Sources')}>
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
        {shown.map((entry, index) => {
          const { at, source, id, text, detail, attempts } = entry
          return (
            <li key={`${id}${text}${index}`} className={source}>
              <Time at={at} />
              <span className={`tag ${source}`}>{wordOf(source)}</span>
              <div>
                {stepOf(entry, railNames)}
                {attempts !== null && <span className="quiet"> · {attemptsOf(attempts)}</span>}
                {detail !== null && <span className="quiet"> · {detail}</span>}
              </div>
              {id === paymentId ? <span /> : <ObjectLink id={id} />}
            </li>
          )
        })}
      </ol>
    </Section>
  )
}

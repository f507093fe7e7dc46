import { type ReactNode, useState } from 'react'
import { Section } from './section.tsx'
import { Time } from './time.tsx'
import { wordOf } from './words.ts'
import { i18n } from '../i18n.ts'

interface Step {
  readonly key: string
  readonly at: number
  /** The kind of the record, by which steps are shown or hidden. */
  readonly source: string
  readonly text: ReactNode
  readonly link: ReactNode
}

interface TimelineProps {
  readonly steps: readonly Step[]
  /** Below the steps. */
  readonly children?: ReactNode
}

/** Steps in the given order, with a filter by source. */
export function Timeline({ steps, children }: TimelineProps) {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const sources = [...new Set(steps.map(({ source }) => source))]
  const toggle = (source: string) => {
    const next = new Set(hidden)
    if (!next.delete(source)) next.add(source)
    setHidden(next)
  }
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
      {steps.length === 0 ? (
        <p className="empty">{i18n.t('None.')}</p>
      ) : (
        <ol className="timeline">
          {steps
            .filter(({ source }) => !hidden.has(source))
            .map(({ key, at, source, text, link }) => (
              <li key={key} className={source}>
                <Time at={at} />
                <span className={`tag ${source}`}>{wordOf(source)}</span>
                <div>{text}</div>
                {link}
              </li>
            ))}
        </ol>
      )}
      {children}
    </Section>
  )
}

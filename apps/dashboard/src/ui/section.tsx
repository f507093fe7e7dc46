import type { ReactNode } from 'react'
import { language } from '../i18n.ts'

interface SectionProps {
  readonly title: string
  readonly count?: number
  /** Whether the API cut the rows that are counted. */
  readonly isCut?: boolean
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export const Section = ({ title, count, isCut = false, actions, children }: SectionProps) => (
  <section className="section">
    <div className="section-head">
      <h2>
        {title}{' '}
        {count !== undefined && (
          <span className="count">
            {count.toLocaleString(language)}
            {isCut && '+'}
          </span>
        )}
      </h2>
      {actions}
    </div>
    {children}
  </section>
)

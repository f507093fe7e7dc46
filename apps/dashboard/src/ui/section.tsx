import type { ReactNode } from 'react'

interface SectionProps {
  readonly title: string
  readonly count?: number
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export const Section = ({ title, count, actions, children }: SectionProps) => (
  <section className="section">
    <div className="section-head">
      <h2>
        {title} {count !== undefined && <span className="count">{count}</span>}
      </h2>
      {actions}
    </div>
    {children}
  </section>
)

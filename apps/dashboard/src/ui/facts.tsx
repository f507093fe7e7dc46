import type { ReactNode } from 'react'

/** An object's properties, one per line; empty ones are left out. */
export const Facts = ({ of: facts }: { of: readonly (readonly [string, ReactNode])[] }) => (
  <dl className="facts">
    {facts
      .filter(([, value]) => value !== null && value !== '' && value !== false)
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)

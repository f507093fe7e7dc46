import type { ReactNode } from 'react'

/** What an object is, line by line; what it has not is left out. */
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

import { Link } from '@tanstack/react-router'
import { Id } from './id.tsx'
import { placeOf } from './place-of.ts'

interface ObjectLinkProps {
  readonly id: string | null
  /** The payment whose screen shows this charge or refund. */
  readonly payment?: string
}

/** A link with the id, cut to its column's width. Copying yields the whole id. */
export function ObjectLink({ id, payment }: ObjectLinkProps) {
  if (id === null) return <span className="quiet">–</span>
  const place = placeOf(id, payment ?? null)
  const text = <Id of={id} />
  return place === null ? text : <Link {...place}>{text}</Link>
}

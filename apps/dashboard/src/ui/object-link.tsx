import { Link } from '@tanstack/react-router'
import { Id } from './id.tsx'
import { placeOf } from './place-of.ts'

interface ObjectLinkProps {
  readonly id: string | null
  /** Where a charge or a refund is shown. */
  readonly payment?: string
}

/** An id, cut by the column that it stands in; whole to whoever copies it. */
export function ObjectLink({ id, payment }: ObjectLinkProps) {
  if (id === null) return <span className="quiet">–</span>
  const place = placeOf(id, payment ?? null)
  const text = <Id of={id} />
  return place === null ? text : <Link {...place}>{text}</Link>
}

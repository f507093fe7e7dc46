import { useSyncExternalStore } from 'react'
import { i18n } from '../i18n.ts'
import { onLag, readLagSec } from '../wire/lag.ts'

/** A standby is usually less than a second behind. */
const SHOWN_FROM_SEC = 5

/** Says how old the page is, if a standby that is behind has answered. */
export function Lag() {
  const count = useSyncExternalStore(onLag, readLagSec)
  if (count < SHOWN_FROM_SEC) return null
  return (
    <p className="quiet" role="status">
      {i18n.t('This page is {count} seconds behind. After a change of your own you see the present.', {
        count,
      })}
    </p>
  )
}

import { useRead } from '../queries.ts'
import { Activity, OlderElsewhere } from './activity.tsx'
import { Loaded } from './loaded.tsx'

interface HistoryProps {
  readonly name: 'clientActivity' | 'customerActivity'
  /** The merchant or the customer. */
  readonly id: string
}

/** Objects and changes by staff in one order. */
export function History({ name, id }: HistoryProps) {
  const activity = useRead(name, { id })
  return (
    <Loaded of={activity}>
      {({ entries, complete_since: since }) => (
        <Activity entries={entries}>{since !== null && <OlderElsewhere since={since} />}</Activity>
      )}
    </Loaded>
  )
}

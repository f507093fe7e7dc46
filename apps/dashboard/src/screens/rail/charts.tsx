import { useMemo } from 'react'
import { Link } from '@tanstack/react-router'
import { i18n } from '../../i18n.ts'
import { useRead } from '../../queries.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { ownZone } from '../../zone.ts'
import { Builds, ChartsOf, Marks } from '../analytics/charts.tsx'

const REFRESH_MS = 60_000

/** A rail's last day, in hours. */
export function RailCharts({ rail }: { rail: string }) {
  const query = useMemo(() => ({ rail, size: 'hour', zone: ownZone }), [rail])
  const analytics = useRead('analytics', { query }, { everyMs: REFRESH_MS })
  return (
    <Loaded of={analytics}>
      {(data) =>
        data.points.length === 0 ? (
          <p className="empty">{i18n.t('No charges in the last day.')}</p>
        ) : (
          <>
            <ChartsOf data={data} zone={ownZone} details="marks" />
            <Marks marks={data.marks} />
            <Builds builds={data.builds} />
            <p>
              <Link to="/analytics" search={{ rail }}>
                {i18n.t('These charts as a table')}
              </Link>
            </p>
          </>
        )
      }
    </Loaded>
  )
}

import { z } from 'zod'

const zoneNames = ['utc', 'douala'] as const
export type ZoneName = (typeof zoneNames)[number]

/** The zone of days and times. Cameroon has one offset all year. */
export const zone = z
  .enum(zoneNames, `must be one of ${zoneNames.join(', ')}`)
  .default('utc')
  .describe('The zone of days and times: `utc`, or `douala`, which is an hour ahead.')

export const zoneOffsetSec: Readonly<Record<ZoneName, number>> = { utc: 0, douala: 3_600 }

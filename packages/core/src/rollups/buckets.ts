import { HOUR_MS, MINUTE_MS } from '../base/clock.ts'

export const BUCKET_MS = 5 * MINUTE_MS

/** After this time a bucket is not counted again: a failed charge is watched for two days, and rarely longer. */
export const FINAL_AFTER_MS = 50 * HOUR_MS

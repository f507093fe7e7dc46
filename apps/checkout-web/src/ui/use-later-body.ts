import { useEffect, useState } from 'react'
import { loadLater } from '../load-later.ts'
import type { LaterBody } from './later-body.tsx'

type Loaded = typeof LaterBody

let loaded: Loaded | null = null

const RETRY_MS = 3_000
const TRIES_MAX = 20

/** Loads the later screens once the first one is shown, and retries if the network fails. */
export function useLaterBody(): Loaded | null {
  const [body, setBody] = useState<Loaded | null>(() => loaded)
  const [tries, setTries] = useState(0)
  useEffect(() => {
    if (loaded !== null) return undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    loadLater().then(
      ({ LaterBody }) => {
        loaded = LaterBody
        setBody(() => LaterBody)
      },
      () => {
        if (tries < TRIES_MAX) timer = setTimeout(() => setTries(tries + 1), RETRY_MS)
      },
    )
    return () => clearTimeout(timer)
  }, [tries])
  return body
}

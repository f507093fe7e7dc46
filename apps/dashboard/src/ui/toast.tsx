import { createContext, type ReactNode, use, useEffect, useState } from 'react'

const SHOWN_MS = 8_000
const SayContext = createContext<(text: string) => void>(() => undefined)

/** Tells in passing what was done. */
export const useSay = () => use(SayContext)

export function Sayer({ children }: { children: ReactNode }) {
  const [said, setSaid] = useState<{ text: string } | null>(null)
  useEffect(() => {
    if (said === null) return
    const timer = setTimeout(() => setSaid(null), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [said])
  return (
    <SayContext value={(text) => setSaid({ text })}>
      {children}
      <div role="status" className="said">
        {said && <p>{said.text}</p>}
      </div>
    </SayContext>
  )
}

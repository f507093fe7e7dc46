import { createContext, type ReactNode, use, useEffect, useState } from 'react'

const SHOWN_MS = 8_000
const ToastContext = createContext<(text: string) => void>(() => undefined)

/** Shows a short message about what was done. */
export const useToast = () => use(ToastContext)

export function ToastProvider({ children }: { children: ReactNode }) {
  const [said, setSaid] = useState<{ text: string } | null>(null)
  useEffect(() => {
    if (said === null) return
    const timer = setTimeout(() => setSaid(null), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [said])
  return (
    <ToastContext value={(text) => setSaid({ text })}>
      {children}
      <div role="status" className="said">
        {said && <p>{said.text}</p>}
      </div>
    </ToastContext>
  )
}

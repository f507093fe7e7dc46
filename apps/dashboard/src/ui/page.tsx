import { type ReactNode, useEffect, useRef } from 'react'
import { ChangeDialog } from './change-button.tsx'
import { Lag } from './lag.tsx'

export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Merchant Payments`
  }, [title])
}

interface PageProps {
  readonly title: string
  /** Replaces the title as heading if it is more than a text. */
  readonly heading?: ReactNode
  readonly about?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A screen. Moves the focus to its heading, for keyboard and screen-reader users. */
export function Page({ title, heading = title, about, actions, children }: PageProps) {
  usePageTitle(title)
  const place = useRef<HTMLHeadingElement>(null)
  useEffect(() => place.current?.focus({ preventScroll: true }), [])
  return (
    <ChangeDialog>
      <header className="page-head">
        <div>
          <h1 ref={place} tabIndex={-1}>
            {heading}
          </h1>
          {about && <div className="about">{about}</div>}
        </div>
        {actions && <div className="actions">{actions}</div>}
      </header>
      <Lag />
      {children}
    </ChangeDialog>
  )
}

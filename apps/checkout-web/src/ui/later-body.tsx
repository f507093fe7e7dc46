import type { Screen } from '../checkout/screen.ts'
import { ApproveScreen } from './approve-screen.tsx'
import { AtRailScreen } from './at-rail-screen.tsx'
import type { BodyProps } from './body.tsx'
import { DeclinedScreen } from './declined-screen.tsx'
import { SucceededScreen } from './succeeded-screen.tsx'

export interface LaterBodyProps extends BodyProps {
  readonly screen: Extract<Screen, { name: 'approve' | 'at_rail' | 'declined' | 'succeeded' }>
}

/** The screens after a press of the button. Their script loads after the first screen. */
export function LaterBody({ screen, facts, time, checkout, locale }: LaterBodyProps) {
  switch (screen.name) {
    case 'approve':
      return (
        <ApproveScreen
          screen={screen}
          time={time}
          attempt={facts.attempt}
          checkout={checkout}
          locale={locale}
        />
      )
    case 'at_rail':
      return <AtRailScreen screen={screen} checkout={checkout} locale={locale} />
    case 'declined':
      return <DeclinedScreen screen={screen} checkout={checkout} locale={locale} />
    case 'succeeded':
      return <SucceededScreen session={screen.session} attempt={facts.attempt} locale={locale} />
  }
}

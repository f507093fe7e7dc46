import type { Screen } from '@merchant-payments/payer-client/form/screen'
import { ApproveScreen } from './approve-screen.tsx'
import { AtRailScreen } from './at-rail-screen.tsx'
import type { BodyProps } from './body.tsx'
import { DeclinedScreen } from './declined-screen.tsx'
import { PendingScreen } from './pending-screen.tsx'
import { SucceededScreen } from './succeeded-screen.tsx'

/** A screen after a press of the button. */
type LaterScreen = Extract<Screen, { name: 'approve' | 'at_rail' | 'pending' | 'declined' | 'succeeded' }>

export interface LaterBodyProps extends BodyProps {
  readonly screen: LaterScreen
}

/** What each later screen gets. */
export type ScreenProps<Name extends LaterScreen['name']> = BodyProps & {
  readonly screen: Extract<LaterScreen, { name: Name }>
}

/** The screens after a press of the button. Their script loads after the first screen. */
export function LaterBody({ screen, ...props }: LaterBodyProps) {
  switch (screen.name) {
    case 'approve':
      return <ApproveScreen {...props} screen={screen} />
    case 'at_rail':
      return <AtRailScreen {...props} screen={screen} />
    case 'pending':
      return <PendingScreen {...props} screen={screen} />
    case 'declined':
      return <DeclinedScreen {...props} screen={screen} />
    case 'succeeded':
      return <SucceededScreen {...props} screen={screen} />
  }
}

import { declines as en } from '@merchant-payments/payer-client/form/words/en'
import { declines as fr } from '@merchant-payments/payer-client/form/words/fr'
import { addLanguage } from '@merchant-payments/payer-client/form/words/index'

// The first screen needs none of these. The build takes them out of the languages' files (build/split-languages.ts).
addLanguage('fr', { declines: fr })
addLanguage('en', { declines: en })

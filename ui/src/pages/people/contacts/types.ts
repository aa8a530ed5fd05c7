/** Shapes of the API that the pages of contacts use. */
import type { components } from '../../../generated/api';

type Schemas = components['schemas'];
export type Contact = Schemas['Contact'];
export type ContactHistory = Schemas['ContactHistory'];
export type ContactImport = Schemas['ContactImport'];
export type Segment = Schemas['Segment'];
export type Label = Schemas['Label'];
export type Attribute = { name: string; value: string };

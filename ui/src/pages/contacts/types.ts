/** Shapes of the API that the pages of contacts use. */
import type { components } from '../../generated/api';

type Schemas = components['schemas'];
export type Contact = Schemas['Contact'];
export type ContactHistory = Schemas['ContactHistory'];
export type ContactImport = Schemas['ContactImport'];
export type { CountedSegment as Segment } from '../../lib/console-types';
export type Label = Schemas['Label'];
export type Attribute = { name: string; value: string };

/** Shapes of the API that the pages of templates use. */
import type { components } from '../../../generated/api';

type Schemas = components['schemas'];
export type Template = Schemas['Template'];
export type NewTemplate = Schemas['NewTemplate'];
export type TemplateButton = Schemas['TemplateButton'];
export type TemplateHeader = Schemas['TemplateHeader'];
export type TemplateProblem = Schemas['TemplateProblem'];
export type TemplateSample = Schemas['TemplateSample'];

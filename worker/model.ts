// @ts-expect-error: no types for data
import latin from '../model/latin.bin'
import { bundled, type SkillModel } from '../src/exports/model.js'

/** The bundled model. The part for English is uploaded with the script, so that most first matches read no other file. The others are static assets. */
export const model = (): Promise<SkillModel> => bundled({ files: { latin } })

/** The thread that packs skills: see refresh.ts. */
import { dirname } from 'node:path'
import { workerData } from 'node:worker_threads'
import { errorMessage } from '../../core/errors.js'
import { writeLog } from './log.js'
import { packCache } from './pack-cache.js'
import type { SkillPlaces } from './places.js'
import { scanFolders } from './scan.js'

const { folder, places } = workerData as { folder: string; places: string }
try {
  await packCache(folder, scanFolders(JSON.parse(places) as SkillPlaces))
} catch (error) {
  writeLog(dirname(folder), `the skills were not packed: ${errorMessage(error)}`)
}

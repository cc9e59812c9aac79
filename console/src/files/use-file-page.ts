import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { api } from '../shell/api.ts';
import { type FileList, type FilePage, fileListPath } from './file-list.ts';
import { FILES_KEY } from './use-uploads.ts';

/** A page of the library; the one before stays until the next is there. */
export const useFilePage = (list: FileList): UseQueryResult<FilePage, Error> =>
  useQuery({
    queryKey: [...FILES_KEY, 'page', list],
    queryFn: ({ signal }) => api.get<FilePage>(fileListPath(list), signal),
    placeholderData: keepPreviousData,
  });

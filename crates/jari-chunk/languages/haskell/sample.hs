{-# LANGUAGE LambdaCase #-}
-- | A sample: what each kind of item becomes.
module Net.Pool
  ( Pool (..)
  , take'
  ) where

import qualified Data.Map.Strict as Map
import Data.Maybe (fromMaybe)

-- | How many connections there may be.
limit :: Int
limit = 3

-- | A pool of connections.
--
-- Hands out the oldest one first.
data Pool a = Pool
  { free :: [Connection a] -- ^ the oldest first
  , busy :: Map.Map Int (Connection a)
  } deriving (Eq, Show)

data State = Free | Busy Int

newtype Connection a = Connection { unwrap :: a }

type Handle = Int

-- | Things with a number.
class Numbered a where
  -- | The number.
  number :: a -> Int
  number _ = 0

  describe :: a -> String
  describe x =
    let shown = show (number x)
     in "number " ++ shown

instance Numbered State where
  number Free = 0
  number (Busy n) =
    fromMaybe n (lookup n known)
   where
    known = [(1, 2)]
    lookup' = lookup

type family Elem c

infixr 5 +++

-- | Takes a connection out of the pool.
take' :: Pool a -> Maybe (Connection a, Pool a)
take' (Pool [] _) = Nothing
take' (Pool (c : cs) b)
  | Map.size b >= limit = Nothing
  | otherwise = Just (c, Pool cs b)
  where
    go 0 = take' (Pool [] b)
    go n = go (n - 1)

-- Joins two pools.
(+++) :: Pool a -> Pool a -> Pool a
Pool f b +++ Pool f' b' = Pool (f ++ f') (Map.union b b')

{-# INLINE withBackoff #-}
withBackoff :: IO Bool -> IO Bool
withBackoff send = do
  sent <- send
  if sent
    then pure True
    else withBackoff send

main :: IO ()
main = do
  _ <- withBackoff (pure True)
  print (number (Busy 3))

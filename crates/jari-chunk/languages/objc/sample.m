// A sample: what each kind of item becomes.

#import <Foundation/Foundation.h>
#import "Pool.h"
@import UIKit;

#define LIMIT 3

static NSString *const kName = @"pool";

/// How a connection is doing.
typedef NS_ENUM(NSInteger, PoolState) {
    PoolStateFree,
    PoolStateBusy,
};

typedef void (^TakeHandler)(Connection *connection);

@class Connection;

/// Things with a number.
@protocol Numbered <NSObject>
@property (nonatomic, readonly) NSInteger number;
- (NSString *)describe;
@optional
+ (instancetype)numberedWith:(NSInteger)number;
@end

/**
 * A pool of connections.
 *
 * Hands out the oldest one first.
 */
@interface Pool : NSObject <Numbered>

/// The oldest first.
@property (nonatomic, strong) NSMutableArray<Connection *> *free;

/// Makes an empty pool.
- (instancetype)initWithSize:(NSUInteger)size;
- (nullable Connection *)take;

@end

@interface Pool (Retry)
- (BOOL)retry:(BOOL (^)(void))send times:(int)times;
@end

@implementation Pool {
    NSUInteger _size;
}

@synthesize free = _free;

- (instancetype)initWithSize:(NSUInteger)size
{
    if (self = [super init]) {
        _size = size;
        _free = [NSMutableArray arrayWithCapacity:size];
    }
    return self;
}

// Takes a connection out of the pool.
- (nullable Connection *)take {
    Connection *taken = [self.free firstObject];
    if (taken != nil) {
        [self.free removeObjectAtIndex:0];
    }
    return taken;
}

+ (NSString *)name { return kName; }

@end

/// Tries a few times.
static BOOL withBackoff(BOOL (^send)(void)) {
    for (int i = 0; i < LIMIT; i++) {
        if (send()) {
            return YES;
        }
    }
    return NO;
}

int main(int argc, char *argv[]) {
    @autoreleasepool {
        Pool *pool = [[Pool alloc] initWithSize:argc];
        NSLog(@"%@", [pool take]);
    }
    return withBackoff(nil);
}

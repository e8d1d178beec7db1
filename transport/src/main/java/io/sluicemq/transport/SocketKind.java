package io.sluicemq.transport;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;

/** By which interface of the operating system sockets are served. */
public enum SocketKind {
    EPOLL {
        @Override
        public boolean isAvailable() {
            return Epoll.isAvailable();
        }

        @Override
        IoHandlerFactory handlerFactory() {
            return EpollIoHandler.newFactory();
        }

        @Override
        ServerChannel serverChannel() {
            return new EpollServerSocketChannel();
        }
    },
    IO_URING {
        @Override
        public boolean isAvailable() {
            return IoUring.isAvailable();
        }

        @Override
        IoHandlerFactory handlerFactory() {
            return IoUringIoHandler.newFactory();
        }

        @Override
        ServerChannel serverChannel() {
            return new IoUringServerSocketChannel();
        }
    },
    NIO {
        @Override
        public boolean isAvailable() {
            return true;
        }

        @Override
        IoHandlerFactory handlerFactory() {
            return NioIoHandler.newFactory();
        }

        @Override
        ServerChannel serverChannel() {
            return new NioServerSocketChannel();
        }
    };

    /** The one to use unless told otherwise: epoll where the native library loads, else NIO. */
    public static SocketKind preferred() {
        return EPOLL.isAvailable() ? EPOLL : NIO;
    }

    /** Whether this platform offers it. */
    public abstract boolean isAvailable();

    abstract IoHandlerFactory handlerFactory();

    abstract ServerChannel serverChannel();
}
